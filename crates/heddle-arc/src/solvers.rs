//! Heddle's own programs for ARC training tasks, as text.
//!
//! The files lie in `programs/` at the root of the repository, where they can be
//! read, run and changed; here they are carried along, so that tasks are all a
//! user has to bring.

/// Names of the files and what is in them.
pub const FILES: &[(&str, &str)] = &[
    (
        "programs/training_0.py",
        include_str!("../programs/training_0.py"),
    ),
    (
        "programs/training_1.py",
        include_str!("../programs/training_1.py"),
    ),
    (
        "programs/training_2.py",
        include_str!("../programs/training_2.py"),
    ),
    (
        "programs/training_3.py",
        include_str!("../programs/training_3.py"),
    ),
    (
        "programs/training_4.py",
        include_str!("../programs/training_4.py"),
    ),
    (
        "programs/training_5.py",
        include_str!("../programs/training_5.py"),
    ),
    (
        "programs/training_6.py",
        include_str!("../programs/training_6.py"),
    ),
    (
        "programs/training_7.py",
        include_str!("../programs/training_7.py"),
    ),
    (
        "programs/training_8.py",
        include_str!("../programs/training_8.py"),
    ),
    (
        "programs/training_9.py",
        include_str!("../programs/training_9.py"),
    ),
    (
        "programs/training_a.py",
        include_str!("../programs/training_a.py"),
    ),
    (
        "programs/training_b.py",
        include_str!("../programs/training_b.py"),
    ),
    (
        "programs/training_c.py",
        include_str!("../programs/training_c.py"),
    ),
    (
        "programs/training_d.py",
        include_str!("../programs/training_d.py"),
    ),
    (
        "programs/training_e.py",
        include_str!("../programs/training_e.py"),
    ),
    (
        "programs/training_f.py",
        include_str!("../programs/training_f.py"),
    ),
];
