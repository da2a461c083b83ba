//! rejitter
