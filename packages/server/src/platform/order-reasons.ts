import type { Messages } from './messages.ts'

/**
 * Returns the sentence for why an order was not filled or a rule made no exchange; by default the refusal's sentence.
 */
export function orderReason({ activity, refusals }: Messages, code: string): string {
  const sentences: Readonly<Record<string, unknown>> = { ...refusals, ...activity.orders }
  const sentence = sentences[code]
  return typeof sentence === 'string' ? sentence : refusals.internal
}
