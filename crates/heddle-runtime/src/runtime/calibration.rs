//! Measuring the machine, and keeping what was measured.

use std::path::PathBuf;

use super::{Runtime, Station};
use crate::device::DeviceId;
use crate::error::Error;
use crate::route::{self, CalibrationPlan, CalibrationReport, CalibrationStep};

impl Runtime {
    /// Whether a model that an earlier run measured was found for `device`.
    #[must_use]
    pub fn has_model(&self, device: DeviceId) -> bool {
        self.station(device).is_ok_and(|station| station.had_model)
    }

    /// Whether every device that routing may choose by itself has such a model.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.routable().all(|station| station.had_model)
    }

    /// Measures every device that routing may choose by itself, within the plan's
    /// budget per device. Models are corrected, not replaced; see
    /// [`save_models`](Self::save_models) for keeping them. A device that is lost
    /// meanwhile is taken out of routing and says so in its report; the others
    /// are measured all the same.
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

    /// Writes what has been learned to the cache folder, one file per device, and
    /// says where. Empty when there is no cache folder to write to. Nothing is
    /// written of a device that was lost: half a calibration would pass for a
    /// whole one the next time.
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

    /// The devices routing may choose by itself: all but emulated ones.
    fn routable(&self) -> impl Iterator<Item = &Station> {
        self.shared
            .devices
            .iter()
            .filter(|station| !station.device.id().is_emulated())
    }
}
