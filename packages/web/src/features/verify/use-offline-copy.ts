import { copyPrefix, workerPath } from '@tern/contract/site/offline-copy'
import { useEffect, useState } from 'react'
import { paths } from '../../app/paths.ts'

const untilSettled = (worker: ServiceWorker): Promise<void> =>
  new Promise((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated' || worker.state === 'redundant') resolve()
    })
  })

/** Registers the worker that stores this page. Returns whether the page then opens without a network. */
async function keepCopy(): Promise<boolean> {
  // Undefined without a secure context.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!workers) return false
  try {
    await workers.register(workerPath, { scope: paths.verifyReceipt, updateViaCache: 'none' })
  } catch {
    // Without a network, the worker of an earlier visit stays.
  }
  const registration = await workers.getRegistration(paths.verifyReceipt)
  if (!registration) return false
  const first = registration.active ? undefined : (registration.installing ?? registration.waiting)
  if (first) await untilSettled(first)
  const names = registration.active ? await caches.keys() : []
  return names.some((name) => name.startsWith(copyPrefix))
}

/** Keeps a copy of this page in the browser. True once the page opens without a network. */
export function useOfflineCopy(): boolean {
  const [isKept, setIsKept] = useState(false)
  useEffect(() => void keepCopy().then(setIsKept, reportError), [])
  return isKept
}
