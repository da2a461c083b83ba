//! Methods that return a field.

/// One method for each field, with its name: `name: &Type` borrows it, `name: Type` copies it.
#[doc(hidden)]
#[cfg_attr(feature = "internals", macro_export)]
macro_rules! getters {
    () => {};
    ($(#[$about:meta])* $field:ident: &$type:ty, $($rest:tt)*) => {
        $(#[$about])*
        #[must_use]
        pub fn $field(&self) -> &$type {
            &self.$field
        }
        getters! { $($rest)* }
    };
    ($(#[$about:meta])* $field:ident: $type:ty, $($rest:tt)*) => {
        $(#[$about])*
        #[must_use]
        pub fn $field(&self) -> $type {
            self.$field
        }
        getters! { $($rest)* }
    };
}
pub(crate) use getters;
