//! Exclusive use of a stream for the time of an execution.
//!
//! Executions of different threads run on different streams and so overlap on the device;
//! within one execution everything is in order. Work queued outside any execution shares
//! one further stream, the open one. An execution waits for its stream before it ends, so
//! none of its work is still running afterwards.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use heddle_runtime::Error;

use super::blas::Blas;
use super::context::Context;
use super::kernel_timer::KernelTimer;
use super::pinned::Pinned;
use super::stream::Stream;

/// The part of the slab for small uploads, in bytes; the part for one small download
/// follows.
pub(super) const SLAB_UPLOAD: usize = 768 << 10;
/// The part for one small download, and the largest transfer that goes through the slab.
pub(super) const SLAB_DOWNLOAD: usize = 256 << 10;
/// The alignment of the parts of the slab.
pub(super) const SLAB_STEP: usize = 256;
/// The most leases at once: one bit of a mask each, the open stream included.
const MOST: usize = 64;

/// A stream and the resources of the thread that may queue on it.
#[derive(Debug)]
pub(super) struct StreamLease {
    /// The lease's bit in the mask of leases with pending work.
    pub(super) bit: u64,
    /// Declared before the stream, because the cuBLAS handle in it is dropped first.
    resources: Mutex<LeaseResources>,
    pub(super) stream: Stream,
}

/// The part of a lease that one thread at a time may use.
#[derive(Debug)]
pub(super) struct LeaseResources {
    pub(super) kernel_timer: KernelTimer,
    pub(super) slab: Pinned,
    /// Bytes of the slab that queued uploads and kernels still use.
    pub(super) slab_used: usize,
    /// Those of them that a running map keeps when the stream has been waited for.
    pub(super) slab_held: usize,
    pub(super) blas: Option<Blas>,
}

impl StreamLease {
    fn new(context: &Arc<Context>, index: usize) -> Result<Arc<Self>, Error> {
        Ok(Arc::new(Self {
            bit: 1 << index,
            stream: Stream::new(context)?,
            resources: Mutex::new(LeaseResources {
                kernel_timer: KernelTimer::new(context)?,
                slab: Pinned::new(context, SLAB_UPLOAD + SLAB_DOWNLOAD)?,
                slab_used: 0,
                slab_held: 0,
                blas: None,
            }),
        }))
    }

    /// The stream's number: 0 is the open one.
    pub(super) fn number(&self) -> u32 {
        self.bit.trailing_zeros()
    }

    pub(super) fn resources(&self) -> MutexGuard<'_, LeaseResources> {
        self.resources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`resources`](Self::resources); None while another thread holds the lock.
    pub(super) fn try_resources(&self) -> Option<MutexGuard<'_, LeaseResources>> {
        match self.resources.try_lock() {
            Ok(resources) => Some(resources),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// All leases of one device.
#[derive(Debug)]
pub(super) struct StreamLeases {
    context: Arc<Context>,
    /// The lease for work outside any execution.
    pub(super) open: Arc<StreamLease>,
    stock: Mutex<LeaseStock>,
    returned: Condvar,
}

#[derive(Debug)]
struct LeaseStock {
    all: Vec<Arc<StreamLease>>,
    idle: Vec<Arc<StreamLease>>,
}

thread_local! {
    /// The leases of the executions that this thread is in, one per device.
    static HELD_LEASES: RefCell<Vec<(*const Context, Arc<StreamLease>)>> = const { RefCell::new(Vec::new()) };
}

impl StreamLeases {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let open = StreamLease::new(context, 0)?;
        Ok(Self {
            context: Arc::clone(context),
            stock: Mutex::new(LeaseStock {
                all: vec![Arc::clone(&open)],
                idle: Vec::new(),
            }),
            open,
            returned: Condvar::new(),
        })
    }

    /// The lease of the calling thread's execution on this device.
    pub(super) fn held(&self) -> Option<Arc<StreamLease>> {
        let device = Arc::as_ptr(&self.context);
        HELD_LEASES.with_borrow(|held| {
            held.iter()
                .find(|(owner, _)| *owner == device)
                .map(|(_, lease)| Arc::clone(lease))
        })
    }

    /// Gives the calling thread a lease until the guard is dropped. The thread must hold
    /// none on this device yet.
    pub(super) fn acquire(&self) -> Result<HeldLease<'_>, Error> {
        let lease = self.take()?;
        HELD_LEASES.with_borrow_mut(|held| {
            held.push((Arc::as_ptr(&self.context), Arc::clone(&lease)));
        });
        Ok(HeldLease {
            leases: self,
            lease,
        })
    }

    /// The lease with this bit.
    pub(super) fn with_bit(&self, bit: u64) -> Option<Arc<StreamLease>> {
        let index = bit.trailing_zeros() as usize;
        self.lock().all.get(index).cloned()
    }

    /// All leases made so far.
    pub(super) fn all(&self) -> Vec<Arc<StreamLease>> {
        self.lock().all.clone()
    }

    fn take(&self) -> Result<Arc<StreamLease>, Error> {
        let mut stock = self.lock();
        loop {
            if let Some(lease) = stock.idle.pop() {
                return Ok(lease);
            }
            if stock.all.len() < MOST {
                let lease = StreamLease::new(&self.context, stock.all.len())?;
                stock.all.push(Arc::clone(&lease));
                return Ok(lease);
            }
            stock = self
                .returned
                .wait(stock)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, LeaseStock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lease that the calling thread holds.
pub(super) struct HeldLease<'a> {
    leases: &'a StreamLeases,
    pub(super) lease: Arc<StreamLease>,
}

impl Drop for HeldLease<'_> {
    fn drop(&mut self) {
        HELD_LEASES
            .with_borrow_mut(|held| held.retain(|(_, lease)| !Arc::ptr_eq(lease, &self.lease)));
        self.leases.lock().idle.push(Arc::clone(&self.lease));
        self.leases.returned.notify_one();
    }
}
