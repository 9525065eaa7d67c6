//! Host memory that a device sees as one range though it is in pieces.
//!
//! Many small arrays go to a device in one transfer: their bytes are copied from where they are
//! directly into the memory that the transfer reads, and results directly to where they belong.
//! There is no packed copy in between.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

/// Bytes to read.
#[derive(Clone, Copy, Debug)]
pub enum GatherSource<'a> {
    /// One contiguous range.
    Whole(&'a [u8]),
    /// Many.
    GatherPieces(&'a GatherPieces<'a>),
}

/// Byte ranges to read, one behind the other, with gaps between them.
#[derive(Debug, Default)]
pub struct GatherPieces<'a> {
    /// The offset of each piece in the whole, ascending, and its bytes.
    parts: Vec<(usize, &'a [u8])>,
    len: usize,
}

impl<'a> GatherPieces<'a> {
    /// Creates an empty list with capacity for `parts` pieces.
    #[must_use]
    pub fn with_capacity(parts: usize) -> Self {
        Self {
            parts: Vec::with_capacity(parts),
            len: 0,
        }
    }

    /// Appends `bytes`. They take `padded_len` bytes of the whole, or their own length if that is
    /// more; the content of the padding is unspecified where it arrives.
    pub fn push(&mut self, bytes: &'a [u8], padded_len: usize) {
        self.parts.push((self.len, bytes));
        self.len += padded_len.max(bytes.len());
    }
}

impl<'a> From<&'a [u8]> for GatherSource<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Whole(bytes)
    }
}

impl<'a> From<&'a GatherPieces<'a>> for GatherSource<'a> {
    fn from(pieces: &'a GatherPieces<'a>) -> Self {
        Self::GatherPieces(pieces)
    }
}

impl<'a> GatherSource<'a> {
    /// The length in bytes, gaps included.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::GatherPieces(pieces) => pieces.len,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies a range of the whole to `to`, which has the same length. Gaps leave `to` unchanged.
    pub fn copy(&self, range: Range<usize>, to: &mut [u8]) {
        let pieces = match self {
            Self::Whole(bytes) => return to.copy_from_slice(&bytes[range]),
            Self::GatherPieces(pieces) => pieces,
        };
        let from = pieces.parts.partition_point(|(at, _)| *at <= range.start);
        for &(at, bytes) in &pieces.parts[from.saturating_sub(1)..] {
            if at >= range.end {
                break;
            }
            let start = range.start.clamp(at, at + bytes.len());
            let end = range.end.clamp(at, at + bytes.len());
            if start < end {
                to[start - range.start..end - range.start]
                    .copy_from_slice(&bytes[start - at..end - at]);
            }
        }
    }

    /// Returns a range of the whole as contiguous bytes, gathered if necessary.
    #[must_use]
    pub fn contiguous(&self, range: Range<usize>) -> Cow<'a, [u8]> {
        match self {
            Self::Whole(bytes) => Cow::Borrowed(&bytes[range]),
            Self::GatherPieces(_) => {
                let mut gathered = vec![0; range.len()];
                self.copy(range, &mut gathered);
                Cow::Owned(gathered)
            }
        }
    }
}

/// Bytes to write.
#[derive(Debug)]
pub enum ScatterSink<'a> {
    /// One contiguous range.
    Whole(&'a mut [u8]),
    /// Many pieces, each with its offset in the whole; and the length of the whole.
    GatherPieces(Vec<(usize, &'a mut [u8])>, usize),
}

impl<'a> From<&'a mut [u8]> for ScatterSink<'a> {
    fn from(bytes: &'a mut [u8]) -> Self {
        Self::Whole(bytes)
    }
}

impl<'a> ScatterSink<'a> {
    /// Creates a sink of pieces one behind the other, each with the bytes of the whole that it
    /// takes, or its own length if that is more.
    pub fn pieces(parts: impl IntoIterator<Item = (&'a mut [u8], usize)>) -> Self {
        let mut len = 0;
        let place = |(bytes, padded_len): (&'a mut [u8], usize)| {
            let at = len;
            len += padded_len.max(bytes.len());
            (at, bytes)
        };
        let parts = parts.into_iter().map(place).collect();
        Self::GatherPieces(parts, len)
    }

    /// The length in bytes, gaps included.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::GatherPieces(_, len) => *len,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Divides the whole into sinks of `step` bytes, the last of them shorter; `step` is at least
    /// 1.
    #[must_use]
    pub fn chunks(self, step: usize) -> Vec<Self> {
        let (parts, len) = match self {
            Self::Whole(bytes) => return bytes.chunks_mut(step).map(Self::Whole).collect(),
            Self::GatherPieces(parts, len) => (parts, len),
        };
        let mut chunks: Vec<Self> = (0..len.div_ceil(step))
            .map(|chunk| Self::GatherPieces(Vec::new(), step.min(len - chunk * step)))
            .collect();
        for (mut at, mut rest) in parts {
            while !rest.is_empty() {
                let chunk = at / step;
                let here = rest.len().min((chunk + 1) * step - at);
                let (part, after) = rest.split_at_mut(here);
                if let Self::GatherPieces(parts, _) = &mut chunks[chunk] {
                    parts.push((at - chunk * step, part));
                }
                at += here;
                rest = after;
            }
        }
        chunks
    }

    /// Writes `from`, which has the length of the whole, to the pieces. Bytes in gaps are dropped.
    pub fn put(&mut self, from: &[u8]) {
        match self {
            Self::Whole(bytes) => bytes.copy_from_slice(from),
            Self::GatherPieces(parts, _) => {
                for (at, bytes) in parts {
                    bytes.copy_from_slice(&from[*at..*at + bytes.len()]);
                }
            }
        }
    }

    /// Lets `write` fill the whole: in place if it is contiguous, otherwise through a temporary
    /// buffer.
    pub fn fill<R, E>(&mut self, write: impl FnOnce(&mut [u8]) -> Result<R, E>) -> Result<R, E> {
        if let Self::Whole(bytes) = self {
            return write(bytes);
        }
        let mut gathered = vec![0; self.len()];
        let done = write(&mut gathered)?;
        self.put(&gathered);
        Ok(done)
    }

    /// Returns the sink, and leaves an empty one.
    #[must_use]
    pub fn take(&mut self) -> Self {
        mem::replace(self, Self::Whole(&mut []))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn scattered_bytes_are_gathered_unchanged(
            lens in prop::collection::vec((0_usize..40, 0_usize..20), 0..20),
            step in 1_usize..50,
        ) {
            let whole: Vec<u8> = (0..1200).map(|byte| byte as u8).collect();
            let mut pieces = GatherPieces::with_capacity(lens.len());
            let mut at = 0;
            for &(len, gap) in &lens {
                pieces.push(&whole[at..at + len], len + gap);
                at += len + gap;
            }
            let source = GatherSource::from(&pieces);
            prop_assert_eq!(source.len(), at);

            let mut outputs: Vec<Vec<u8>> = lens.iter().map(|(len, _)| vec![0; *len]).collect();
            let parts = outputs.iter_mut().zip(&lens);
            let sink = ScatterSink::pieces(parts.map(|(to, (len, gap))| (&mut to[..], len + gap)));
            prop_assert_eq!(sink.len(), at);
            for (index, mut chunk) in sink.chunks(step).into_iter().enumerate() {
                let start = index * step;
                let moved = source.contiguous(start..start + chunk.len());
                chunk.put(&moved);
            }
            let mut at = 0;
            for (written, (len, gap)) in outputs.iter().zip(&lens) {
                prop_assert_eq!(&written[..], &whole[at..at + len]);
                at += len + gap;
            }
        }
    }

    #[test]
    fn gaps_are_unchanged() {
        let mut pieces = GatherPieces::default();
        pieces.push(b"ab", 4);
        pieces.push(b"cd", 0);
        let mut to = *b"------";
        GatherSource::from(&pieces).copy(0..6, &mut to);
        assert_eq!(&to, b"ab--cd");
        assert_eq!(*GatherSource::from(&pieces).contiguous(1..5), *b"b\0\0c");
    }

    #[test]
    fn a_sink_of_pieces_is_filled_through_one_buffer() {
        let (mut first, mut second) = ([0; 2], [0; 3]);
        let mut sink = ScatterSink::pieces([(&mut first[..], 4), (&mut second[..], 0)]);
        let write = |bytes: &mut [u8]| {
            bytes.copy_from_slice(b"ab..cde");
            Ok::<(), ()>(())
        };
        sink.fill(write).unwrap();
        assert_eq!((&first, &second), (b"ab", b"cde"));
    }
}
