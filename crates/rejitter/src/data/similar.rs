//! The known name that an unknown one may be meant as, for "Did you mean".

/// Returns the known name that is nearest to `name`, if it is at most three edits away and at most half its length.
pub(super) fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<u8> = name
        .bytes()
        .take(40)
        .map(|b| b.to_ascii_lowercase())
        .collect();
    let near = names.map(|known| (edits(&name, known), known));
    let nearest = near.min_by_key(|(edits, _)| *edits);
    let (edits, known) = nearest?;
    (edits <= 3 && edits <= name.len() / 2).then_some(known)
}

/// How many inserted, deleted, replaced or transposed letters `a` and `b` are apart.
fn edits(a: &[u8], b: &str) -> usize {
    let b = b.to_ascii_lowercase().into_bytes();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&row, j) + usize::from(x != y);
            let mut least = replaced.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}
