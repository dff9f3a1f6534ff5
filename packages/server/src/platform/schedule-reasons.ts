import type { Messages } from './messages.ts'

/** Why a date of a scheduled send waits or was not sent, in a sentence: of schedules where they have one, else of the refusal. */
export function scheduleReason({ activity, refusals }: Messages, code: string): string {
  const sentences: Readonly<Record<string, unknown>> = { ...refusals, ...activity.schedules }
  const sentence = sentences[code]
  return typeof sentence === 'string' ? sentence : refusals.internal
}
