//! Files of one number per site for other programs: `.npy` or CSV.
//!
//! The format is the one asked for, else that of the extension; a path that ends in neither, such
//! as `-` or a device, gets CSV where it names no regular file.

use std::io::{self, Write};
use std::path::PathBuf;

use heddle::lattice::{Lattice, Site};
use heddle::profile::{is_regular_output, write_whole};
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::output::Output;

/// The options that name a file to write and its format.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ArrayFileArguments {
    /// Write one double per site to this file, as FILE.npy or FILE.csv says; `-` is standard
    /// output. A site without a value is inf or nan.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of that file (default: that of its extension; CSV for standard output, pipes
    /// and devices).
    #[arg(long, value_enum, requires = "output")]
    format: Option<Format>,
}

/// A file to write, and its format.
#[derive(Clone, Debug)]
pub(super) struct ArrayFile {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// An array of `NumPy`, with one axis for each of the lattice.
    Npy,
    /// A line per site: its coordinates and its value.
    Csv,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub(super) struct Written {
    file: PathBuf,
    bytes: u64,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} bytes", self.file.display(), self.bytes)
    }
}

impl ArrayFileArguments {
    /// Returns the file that is asked for. Results go to standard error from now on where it is
    /// standard output.
    pub(super) fn file(&self, output: &mut Output) -> Result<Option<ArrayFile>, Failure> {
        let Some(path) = self.output.clone() else {
            return Ok(None);
        };
        let extension = path.extension().and_then(|extension| extension.to_str());
        let named = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("npy") => Some(Format::Npy),
            Some("csv") => Some(Format::Csv),
            // What is no file has no name to choose.
            _ if !is_regular_output(&path) => Some(Format::Csv),
            _ => None,
        };
        let format = self.format.or(named).ok_or_else(|| Failure::Usage {
            message: format!("{} ends in neither .npy nor .csv", path.display()),
            hint: "name the format with --format npy or --format csv".to_owned(),
        })?;
        output.leave_standard_output_to(&path);
        Ok(Some(ArrayFile { path, format }))
    }
}

impl ArrayFile {
    /// Writes `layers` arrays, each with one number per site of the lattice, that
    /// `values` makes one after the other. A layer's number is the first index of its
    /// numbers if `layer_name` names that index; else there is one layer.
    pub(super) fn write(
        &self,
        lattice: &Lattice,
        layers: (Option<&str>, usize),
        mut values: impl FnMut(usize) -> Result<Vec<f64>, Failure>,
    ) -> Result<Written, Failure> {
        let (layer_name, count) = layers;
        // The error of a layer; `write_whole` only passes an `io::Error` through.
        let mut failed = None;
        let mut write = |to: &mut dyn Write| -> io::Result<()> {
            match self.format {
                Format::Npy => to.write_all(&npy_header(&shape(lattice, layer_name, count)))?,
                Format::Csv => csv_header(to, lattice, layer_name)?,
            }
            for layer in 0..count {
                let values = match values(layer) {
                    Ok(values) => values,
                    Err(failure) => {
                        failed = Some(failure);
                        return Err(io::ErrorKind::Other.into());
                    }
                };
                match self.format {
                    Format::Npy => npy_values(to, &values)?,
                    Format::Csv => csv_rows(to, lattice, layer_name.map(|_| layer), &values)?,
                }
            }
            Ok(())
        };
        let written = write_whole(&self.path, |to| write(to)).map_err(Failure::from);
        match failed {
            Some(failure) => Err(failure),
            None => Ok(Written {
                file: self.path.clone(),
                bytes: written?,
            }),
        }
    }
}

fn shape(lattice: &Lattice, layer_name: Option<&str>, layers: usize) -> Vec<u64> {
    let layers = layer_name.map(|_| layers as u64);
    layers
        .into_iter()
        .chain(lattice.axes().map(|axis| axis.size()))
        .collect()
}

/// Returns a header of format version 1.0, little-endian doubles in C order.
fn npy_header(shape: &[u64]) -> Vec<u8> {
    /// The alignment of the first number in the file.
    const ALIGNMENT: usize = 64;
    const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";
    let shape = match shape {
        // A tuple of one keeps its comma.
        [only] => format!("{only},"),
        several => several
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let mut text =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}").into_bytes();
    let before = MAGIC.len() + size_of::<u16>();
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.resize(whole - before - 1, b' ');
    text.push(b'\n');
    // Of at most 64 axes the header takes less than 2 KiB.
    let length = text.len() as u16;
    [MAGIC.as_slice(), &length.to_le_bytes(), &text].concat()
}

fn npy_values(to: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    values
        .iter()
        .try_for_each(|value| to.write_all(&value.to_le_bytes()))
}

fn csv_header(to: &mut dyn Write, lattice: &Lattice, layer_name: Option<&str>) -> io::Result<()> {
    let axes = (0..lattice.dimensions()).map(|axis| format!("x{axis}"));
    let names = layer_name.map(str::to_owned).into_iter().chain(axes);
    let names: Vec<String> = names.chain(["value".to_owned()]).collect();
    writeln!(to, "{}", names.join(","))
}

fn csv_rows(
    to: &mut dyn Write,
    lattice: &Lattice,
    layer: Option<usize>,
    values: &[f64],
) -> io::Result<()> {
    for (site, value) in (0 as Site..).zip(values) {
        if let Some(layer) = layer {
            write!(to, "{layer},")?;
        }
        let coordinates = lattice.coordinates(site).map_err(io::Error::other)?;
        for at in coordinates.as_slice() {
            write!(to, "{at},")?;
        }
        // The shortest digits that read back as the same number.
        writeln!(to, "{value}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_aligned_and_says_its_length() {
        for shape in [&[7][..], &[2, 3], &[1000; 60]] {
            let header = npy_header(shape);
            assert_eq!(header.len() % 64, 0);
            let length = u16::from_le_bytes([header[8], header[9]]);
            assert_eq!(usize::from(length), header.len() - 10);
            assert_eq!(header.last(), Some(&b'\n'));
        }
        let one = String::from_utf8_lossy(&npy_header(&[7])).into_owned();
        assert!(one.contains("'shape': (7,), }"), "{one}");
        let two = String::from_utf8_lossy(&npy_header(&[2, 3])).into_owned();
        assert!(two.contains("'shape': (2, 3), }"), "{two}");
    }
}
