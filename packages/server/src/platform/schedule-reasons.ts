import type { Messages } from './messages.ts'

/** Returns the sentence for why a date of a scheduled send waits or was not sent; by default the refusal's sentence. */
export function scheduleReason({ activity, refusals }: Messages, code: string): string {
  const sentences: Readonly<Record<string, unknown>> = { ...refusals, ...activity.schedules }
  const sentence = sentences[code]
  return typeof sentence === 'string' ? sentence : refusals.internal
}
