//! Calibrates the devices, and saves the models.

use std::path::PathBuf;

use super::{DeviceSlot, Runtime};
use crate::device::DeviceId;
use crate::error::Error;
use crate::route::{self, CalibrationPlan, CalibrationReport, CalibrationStep};

impl Runtime {
    /// Whether a model from an earlier run was found for `device`.
    #[must_use]
    pub fn has_model(&self, device: DeviceId) -> bool {
        self.slot(device).is_ok_and(|slot| slot.had_model)
    }

    /// Whether every device that routing may choose by itself has a model from an earlier run.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.routable().all(|slot| slot.had_model)
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
            .map(|slot| {
                route::calibrate(
                    &self.shared.router,
                    slot.device.as_ref(),
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
            .filter(|slot| !lost.contains(&slot.device.id()))
            .map(|slot| {
                let device = &slot.device;
                store.save(
                    &self.shared.machine,
                    device.id(),
                    device.properties(),
                    &self.shared.router.device_model(device.id()),
                )
            })
            .collect()
    }

    /// The devices that routing may choose by itself: all but emulated ones.
    fn routable(&self) -> impl Iterator<Item = &DeviceSlot> {
        self.shared
            .devices
            .iter()
            .filter(|slot| !slot.device.id().is_emulated())
    }
}
