//! Sets of cells that share locations: one mask for each colour.

use super::space::Bits;
use super::{Colours, Space, Value, Window};
use crate::fault::Fault;

/// Layers under construction, one plane of rows for each colour.
pub(crate) struct LayerBuilder {
    window: Window,
    colours: Colours,
    /// The index of each colour's plane, by `colour + 128`.
    plane_of_colour: [u8; 256],
    planes: Vec<Bits>,
}

impl LayerBuilder {
    /// Returns the first row of a colour's plane, for [`LayerBuilder::add_at`].
    pub(crate) fn plane(&self, colour: i8) -> usize {
        usize::from(self.plane_of_colour[(i16::from(colour) + 128) as usize]) * self.window.height()
    }

    /// Adds cells at a row index over all planes.
    pub(crate) fn add_at(&mut self, row: usize, bits: Bits) {
        self.planes[row] |= bits;
    }

    /// Adds cells of a colour in a row of the window.
    pub(crate) fn add(&mut self, colour: i8, row: usize, bits: Bits) {
        let at = self.plane(colour) + row;
        self.add_at(at, bits);
    }
}

impl Space {
    /// Returns empty planes for these colours, in reused memory.
    pub(crate) fn begin_layers(&mut self, window: Window, colours: Colours) -> LayerBuilder {
        let mut planes = std::mem::take(&mut self.planes);
        planes.clear();
        planes.resize(colours.len() * window.height(), 0);
        let mut plane_of_colour = [0; 256];
        for (plane, colour) in colours.iter().enumerate() {
            plane_of_colour[(i16::from(colour) + 128) as usize] = plane as u8;
        }
        LayerBuilder {
            window,
            colours,
            plane_of_colour,
            planes,
        }
    }

    /// Returns the set of all cells added. The caller ensures that two of them share a location, so
    /// that no other form can hold them.
    pub(crate) fn end_layers(&mut self, layering: LayerBuilder) -> Result<Value, Fault> {
        let LayerBuilder {
            window,
            colours,
            planes,
            ..
        } = layering;
        let height = window.height();
        let base = self.stack.len();
        for (plane, colour) in colours.iter().enumerate() {
            let at = self.new_window(window)?;
            self.rows[at..].copy_from_slice(&planes[plane * height..(plane + 1) * height]);
            if let Some(mask) = self.finish(at, window) {
                self.stack.push(Value::Object(mask, colour));
            }
        }
        self.planes = planes;
        self.layers_from(base)
    }

    /// Pops the objects on the stack from `base` on and returns their layers.
    pub(crate) fn layers_from(&mut self, base: usize) -> Result<Value, Fault> {
        let len = self.stack.len() - base;
        let at = self.new_values(len)?;
        self.values.extend_from_slice(&self.stack[base..]);
        self.stack.truncate(base);
        Ok(Value::Layers {
            at: at as u32,
            len: len as u16,
        })
    }

    /// Returns the bounding box of all layers.
    pub(crate) fn layers_window(&self, value: Value) -> Option<Window> {
        let mut windows = self.layers(value).map(|(mask, _)| Window::of(mask));
        let first = windows.next()?;
        windows.try_fold(first, Window::joined)
    }

    /// Returns all locations of layers.
    pub(crate) fn layers_mask(&mut self, value: Value) -> Result<Option<super::Mask>, Fault> {
        let Some(window) = self.layers_window(value) else {
            return Ok(None);
        };
        let at = self.new_window(window)?;
        for row in 0..window.height() {
            let i = window.top + row as i64;
            let layers = self.layers(value);
            let word = layers.fold(0, |word, (mask, _)| {
                word | self.word_at(mask, i, window.left)
            });
            self.rows[at + row] = word;
        }
        Ok(self.finish(at, window))
    }
}
