//! Building the graph on a GPU: the GPU computes degrees and rows, the host the
//! prefix sum between them.

use heddle_runtime::device::{Accelerator, Argument, ExecutionContext, Kernel, Launch};
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Error};

use super::{BUILD, Build, Graph};
use crate::kernels::KERNELS;
use crate::lattice::Lattice;

const BLOCK: u32 = 256;
const MAX_BLOCKS: u64 = 4096;
const DEGREES: &Kernel = Kernel::named(&KERNELS, "lattice_degrees");
const ROWS: &Kernel = Kernel::named(&KERNELS, "lattice_rows");

/// For each axis its size, at most 2^30, its stride, and whether it is periodic.
pub(crate) fn geometry(lattice: &Lattice) -> Array<u32> {
    let axes: Vec<u32> = lattice
        .strided_axes()
        .iter()
        .flat_map(|strided_axis| {
            let (size, stride) = (strided_axis.axis.size() as u32, strided_axis.stride as u32);
            [size, stride, u32::from(strided_axis.axis.wraps())]
        })
        .collect();
    Array::from_slice(&axes)
}

/// One bit per site, in an even number of words.
pub(crate) fn blocked(lattice: &Lattice) -> Array<u32> {
    let words: Vec<u32> = match lattice.blocked().bits() {
        Some(bits) => bits
            .iter()
            .flat_map(|&bits| [bits as u32, (bits >> 32) as u32])
            .collect(),
        None => vec![0; 2 * lattice.sites().div_ceil(64) as usize],
    };
    Array::from(words)
}

impl Build<'_> {
    pub(super) fn run_on_gpu(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<Graph, Error> {
        let sites = self.lattice.sites();
        // Rows as bytes and as words, offsets, and the degrees and starts of all sites.
        admit_host(BUILD.name(), self.host_bytes() + Bytes(12 * sites))?;
        let launch = |kernel: &'static Kernel, arguments: &[Argument<'_>]| {
            let blocks = sites.div_ceil(BLOCK.into()).clamp(1, MAX_BLOCKS);
            accelerator.launch(&Launch::new(kernel, blocks as u32, BLOCK, arguments))
        };
        let geometry = context.resident(&geometry(self.lattice), accelerator)?;
        let blocked = context.resident(&blocked(self.lattice), accelerator)?;
        let degrees = accelerator.allocate(Bytes(4 * sites))?;
        let dimensions = Argument::U32(self.lattice.dimensions() as u32);
        let all = Argument::U32(sites as u32);
        launch(
            DEGREES,
            &[
                Argument::Buffer(&**geometry),
                dimensions,
                all,
                Argument::Buffer(&**blocked),
                Argument::Buffer(&*degrees),
            ],
        )?;
        let degrees = words(context, &*degrees)?;
        let mut offsets = Vec::with_capacity(self.numbering.len() + 1);
        let mut starts = Vec::with_capacity(degrees.len());
        let mut end = 0_u64;
        offsets.push(end);
        for (site, &degree) in degrees.iter().enumerate() {
            starts.push(end as u32);
            end += u64::from(degree);
            if !self.lattice.blocked().contains(site as u64) {
                offsets.push(end);
            }
        }
        let mut targets = Vec::new();
        if end > 0 {
            let starts = context.resident(&Array::from(starts), accelerator)?;
            let before = self.numbering.before_words();
            let before = context.resident(&Array::from(before), accelerator)?;
            let rows = accelerator.allocate(Bytes(4 * end))?;
            launch(
                ROWS,
                &[
                    Argument::Buffer(&**geometry),
                    dimensions,
                    all,
                    Argument::Buffer(&**blocked),
                    Argument::Buffer(&**before),
                    Argument::Buffer(&**starts),
                    Argument::Buffer(&*rows),
                ],
            )?;
            targets = words(context, &*rows)?;
        }
        Ok(Graph {
            numbering: self.numbering.clone(),
            offsets,
            targets,
            costs: None,
        })
    }
}

/// The words of a buffer.
fn words(
    context: &ExecutionContext<'_>,
    buffer: &dyn heddle_runtime::device::DeviceMemory,
) -> Result<Vec<u32>, Error> {
    let mut bytes = vec![0_u8; buffer.bytes().0 as usize];
    context.download(buffer, &mut bytes)?;
    let words = bytes.as_chunks().0.iter();
    Ok(words.map(|bytes| u32::from_ne_bytes(*bytes)).collect())
}
