import { useSyncExternalStore } from 'react'
import { shell } from '#messages/shell.ts'
import { daysAgo, formatDate, formatTime } from '../format/format.ts'
import { Note } from './Note.tsx'

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** True while the device has no network. */
export const useIsOffline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  )

interface OfflineNoteProps {
  /** Time at which the amounts of the page were loaded, in milliseconds since 1970; 0 before that. */
  readAt: number
  className: string
}

function describeAge(readAt: Date): string {
  const days = daysAgo(readAt)
  return days === 0
    ? shell.offlineSinceToday(formatTime(readAt))
    : days === 1
      ? shell.offlineSinceYesterday(formatTime(readAt))
      : shell.offlineSince(formatDate(readAt))
}

/** Note shown while the device is offline, with the time of its amounts. */
export function OfflineNote({ readAt, className }: OfflineNoteProps) {
  if (!useIsOffline()) return null
  return (
    <div className={className}>
      <Note live>{readAt === 0 ? shell.offline : describeAge(new Date(readAt))}</Note>
    </div>
  )
}
