//! Random changes of inputs, for runs without a fuzzer that learns from coverage.

use heddle_testing::Random;

/// Values that programs treat specially more often than others.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\"",
    b"{",
    b"[",
    b"}",
    b"]",
    b"(",
    b")",
    b",",
    b"-",
    b"null",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775807",
    b"4294967295",
    b"0.1",
    b"\xff",
    b"\xf0\x9f\xa7\xb5",
    b"\xef\xbb\xbf",
    b"\x1b[31m",
    b"    ",
];

/// The longest input made.
const LONGEST: usize = 16 << 10;

/// Makes an input out of these: one of them with one to eight changes.
pub fn mutated(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = inputs[random.index(inputs.len())].clone();
    for _ in 0..=random.below(8) {
        change(&mut bytes, inputs, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, inputs: &[Vec<u8>], random: &mut Random) {
    let at = random.index(bytes.len() + 1);
    match random.below(7) {
        0 if at < bytes.len() => bytes[at] = random.word() as u8,
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 => {
            let end = (at + random.index(40)).min(bytes.len());
            bytes.drain(at..end);
        }
        3 => {
            let end = (at + random.index(80)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = random.index(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        4 => {
            let other = &inputs[random.index(inputs.len())];
            let from = random.index(other.len() + 1);
            let end = (from + random.index(80)).min(other.len());
            bytes.splice(at..at, other[from..end].iter().copied());
        }
        5 if at < bytes.len() => bytes.truncate(at),
        _ => {
            let piece = PIECES[random.index(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}
