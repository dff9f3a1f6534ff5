// The copy of /verify that a browser keeps to open the page without a network.

/** Address of the service worker that keeps the copy. */
export const workerPath = '/verify-worker.js'

/** The worker that deletes the copy, served at `workerPath` instead after VERIFY_OFFLINE=off. */
export const removalWorkerPath = '/verify-worker-off.js'

/** Start of the names of the caches with a copy, one for each build. */
export const copyPrefix = 'verify '
