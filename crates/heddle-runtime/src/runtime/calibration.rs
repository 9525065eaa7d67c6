//! Calibrates the devices, and saves the models.

use std::path::PathBuf;

use super::{Runtime, Station};
use crate::device::DeviceId;
use crate::error::Error;
use crate::route::{self, CalibrationPlan, CalibrationReport, CalibrationStep};

impl Runtime {
    /// Whether a model from an earlier run was found for `device`.
    #[must_use]
    pub fn has_model(&self, device: DeviceId) -> bool {
        self.station(device).is_ok_and(|station| station.had_model)
    }

    /// Whether every device that routing may choose by itself has a model from an earlier run.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.routable().all(|station| station.had_model)
    }

    /// Measures every device that routing may choose by itself, within the plan's budget per
    /// device. Models are corrected, not replaced; [`save_models`](Self::save_models) writes
    /// them to files. A device that is lost during calibration is taken out of routing and
    /// marked in its report; the others are still measured.
    pub fn calibrate(
        &self,
        plan: &CalibrationPlan,
        progress: &mut dyn FnMut(CalibrationStep),
    ) -> Result<Vec<CalibrationReport>, Error> {
        self.routable()
            .map(|station| {
                route::calibrate(
                    &self.shared.router,
                    station.device.as_ref(),
                    &self.shared.probes,
                    plan,
                    progress,
                )
            })
            .collect()
    }

    /// Writes the learned models to the cache folder, one file per device, and returns the
    /// paths. Returns none if there is no cache folder to write to. The model of a lost device
    /// is not written: a partial calibration would pass for a complete one the next time.
    pub fn save_models(&self) -> Result<Vec<PathBuf>, Error> {
        let Some(store) = &self.shared.store else {
            return Ok(Vec::new());
        };
        let lost = self.shared.router.lost();
        self.routable()
            .filter(|station| !lost.contains(&station.device.id()))
            .map(|station| {
                let device = &station.device;
                store.save(
                    &self.shared.machine,
                    device.id(),
                    device.card(),
                    &self.shared.router.device_model(device.id()),
                )
            })
            .collect()
    }

    /// The devices that routing may choose by itself: all but emulated ones.
    fn routable(&self) -> impl Iterator<Item = &Station> {
        self.shared
            .devices
            .iter()
            .filter(|station| !station.device.id().is_emulated())
    }
}
