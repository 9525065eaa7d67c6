//! Writes some pictures of lattices into a folder.
//!
//! `cargo run -p heddle-lattice --example lattice_pictures -- /some/folder`

use std::error::Error;
use std::path::PathBuf;

use heddle_lattice::{Axis, Lattice, Picture};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));

    let walls = (0..28)
        .map(|column| 9 * 32 + column)
        .chain((4..32).map(|column| 20 * 32 + column));
    let maze = Lattice::cubic(2, 32)?.with_blocked(walls)?;
    let path = maze.shortest_path(0, 32 * 32 - 1)?;
    let steps = maze.distances(&[0])?.to_costs()?;
    let picture = Picture::new(&maze)
        .path(&path.vertices)
        .values("steps", &steps);
    std::fs::write(
        folder.join("walls.html"),
        picture.title("Around two walls").html()?,
    )?;

    let scattered = Lattice::new([Axis::open(10), Axis::open(10), Axis::periodic(14)])?;
    let (start, end) = (0, scattered.site(&[9, 9, 6])?);
    let blocked = (0..scattered.sites())
        .filter(|site| site * 2_654_435_761 % 4093 % 7 == 0)
        .filter(|&site| site != start && site != end);
    let scattered = scattered.with_blocked(blocked)?;
    let path = scattered.shortest_path(start, end)?;
    let picture = Picture::new(&scattered).at(&[0, 0, 0]).path(&path.vertices);
    std::fs::write(folder.join("slice.svg"), picture.svg()?)?;

    let wide = Lattice::new([Axis::periodic(200), Axis::open(300)])?;
    let costs = wide
        .distances(&[100 * 300 + 40, 30 * 300 + 250])?
        .to_costs()?;
    let picture = Picture::new(&wide).values("steps", &costs);
    std::fs::write(folder.join("wide.svg"), picture.svg()?)?;

    let line = Lattice::new([Axis::open(12)])?.with_blocked([9])?;
    let steps = line.distances(&[3])?.to_costs()?;
    let path = line.shortest_path(3, 8)?;
    let picture = Picture::new(&line)
        .values("steps", &steps)
        .path(&path.vertices);
    std::fs::write(folder.join("line.svg"), picture.svg()?)?;
    Ok(())
}
