import type { Messages } from './messages.ts'

/** Why an order was not filled or a rule did not exchange, in a sentence: of orders where they have one, else of the refusal. */
export function orderReason({ activity, refusals }: Messages, code: string): string {
  const sentences: Readonly<Record<string, unknown>> = { ...refusals, ...activity.orders }
  const sentence = sentences[code]
  return typeof sentence === 'string' ? sentence : refusals.internal
}
