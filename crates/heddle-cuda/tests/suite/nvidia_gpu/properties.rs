//! The properties and sensor readings of the GPU.

use heddle_runtime::device::{Device, DeviceId};
use heddle_runtime::units::Bytes;

use heddle_testing::nvidia::with_gpu;

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_gpu_reports_its_properties() {
    with_gpu(|gpu| {
        let properties = gpu.properties();
        println!("{properties:?}, {:?}", gpu.compute_capability());
        assert_eq!((gpu.id(), properties.backend), (DeviceId::cuda(0), "cuda"));
        assert!(!properties.name.is_empty() && properties.driver.contains("CUDA 1"));
        assert!(gpu.compute_capability() >= (6, 0) && properties.units > 0);
        assert!(Bytes(0) < gpu.free_memory() && gpu.free_memory() <= properties.memory);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn sensor_readings_are_plausible() {
    with_gpu(|gpu| {
        let Some(health) = gpu.health() else {
            return;
        };
        println!("{health:?}");
        assert!(health.utilisation_percent.is_none_or(|share| share <= 100));
        assert!(health.temperature_c.is_none_or(|degrees| degrees < 150));
        assert!(
            health
                .power_watts
                .is_none_or(|watts| (0.0..5000.0).contains(&watts))
        );
        // The context alone takes some memory.
        assert!(health.memory_used.is_none_or(|used| used > Bytes(0)));
    });
}
