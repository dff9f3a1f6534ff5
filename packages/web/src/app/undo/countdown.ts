import { undo as texts } from '#messages/transfers/undo.ts'

/** Whole seconds until `endsAtMs`, rounded up; 0 from then on. */
export const secondsUntil = (endsAtMs: number, nowMs: number): number =>
  Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))

const secondsLimit = 90

/** Remaining time as text: seconds up to a minute and a half, otherwise minutes, rounded up. */
export const formatRemaining = (seconds: number): string =>
  seconds <= secondsLimit ? texts.seconds(seconds) : texts.minutes(Math.ceil(seconds / 60))

/** Short form for a button: "12 s" or "4:32". */
export const formatRemainingShort = (seconds: number): string =>
  seconds <= secondsLimit
    ? texts.undoShort(seconds)
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** Seconds per segment of the bar; at most thirty segments in windows of up to half an hour. */
export function chooseSegment(windowSeconds: number): 1 | 5 | 30 | 60 {
  if (windowSeconds <= 30) return 1
  if (windowSeconds <= 150) return 5
  return windowSeconds <= 900 ? 30 : 60
}

/** Start and length of each segment of a bar in seconds; the last one may be partial. */
export function listSegments(windowSeconds: number): { from: number; length: number }[] {
  const segment = chooseSegment(windowSeconds)
  return Array.from({ length: Math.ceil(windowSeconds / segment) }, (_, index) => ({
    from: index * segment,
    length: Math.min(segment, windowSeconds - index * segment),
  }))
}

const firstAnnouncedAt = 12
const lastAnnouncedAt = 5

/** Announcement due with these seconds left; undefined before the first and when the time is over. */
export const findAnnouncement = (seconds: number): 'first' | 'last' | undefined =>
  seconds > firstAnnouncedAt || seconds <= 0 ? undefined : seconds > lastAnnouncedAt ? 'first' : 'last'

export const announcementText = (position: 'first' | 'last', seconds: number): string =>
  position === 'first' ? texts.canUndo(texts.seconds(seconds)) : texts.secondsLeft(seconds)
