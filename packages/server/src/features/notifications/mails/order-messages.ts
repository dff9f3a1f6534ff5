// Mails about exchange orders, rate alerts and protection rules.

import { rateTextInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { orderReason } from '../../../platform/order-reasons.ts'
import type { Message } from './mail-layout.ts'
import { formatAmount as shown, button, facts, message, note, words } from './message-parts.ts'
import type { MailData } from './templates.ts'

type OrderTemplate =
  | 'order_filled'
  | 'order_expired'
  | 'order_waits'
  | 'rate_alert'
  | 'rate_returned'
  | 'protection_acted'
  | 'protection_waits'

type AwaitedRate = Pick<MailData['rate_alert'], 'rate' | 'rateSide'>

const awaitedRateText = (messages: Messages, { rate, rateSide }: AwaitedRate): string =>
  messages.mails.orders[rateSide]({ rate: rateTextInWords(messages.language, rate) })

export const orderMessages: {
  readonly [T in OrderTemplate]: (messages: Messages, data: MailData[T]) => Message
} = {
  order_filled(messages, { kind, amount, target, rate, rateSide, filledAt, fee, link }) {
    const { frame, orders } = messages.mails
    const { labels, filled: filledWording } = orders
    return message(
      filledWording,
      frame.for_account,
      words(filledWording[kind]),
      facts(
        [labels.exchanged, shown(messages, amount)],
        [labels.arrived, shown(messages, target)],
        [labels.filled_at, rateTextInWords(messages.language, filledAt)],
        [labels.rate, awaitedRateText(messages, { rate, rateSide })],
        [labels.fee, shown(messages, fee)],
      ),
      button(orders.button, link),
      note(orders.not_ordered),
    )
  },

  order_expired(messages, { amount, targetCurrency, rate, rateSide, link }) {
    const { frame, orders } = messages.mails
    const { labels, expired: expiredWording } = orders
    return message(
      expiredWording,
      frame.for_account,
      words(expiredWording.text),
      facts(
        [frame.labels.amount, shown(messages, amount)],
        [labels.to, targetCurrency],
        [labels.rate, awaitedRateText(messages, { rate, rateSide })],
      ),
      button(orders.button, link),
      note(orders.not_ordered),
    )
  },

  order_waits(messages, { amount, targetCurrency, rate, rateSide, reason, link }) {
    const { frame, orders } = messages.mails
    const { labels, waits } = orders
    return message(
      waits,
      frame.for_account,
      words(waits.text),
      facts(
        [frame.labels.amount, shown(messages, amount)],
        [labels.to, targetCurrency],
        [labels.rate, awaitedRateText(messages, { rate, rateSide })],
        [frame.labels.reason, orderReason(messages, reason)],
      ),
      button(orders.button, link),
      note(orders.not_ordered),
    )
  },

  rate_alert(messages, { rate, rateSide, rateNow, link }) {
    const { frame, orders } = messages.mails
    const { labels, alert } = orders
    return message(
      alert,
      frame.for_account,
      words(alert.text),
      facts(
        [labels.rate_now, rateTextInWords(messages.language, rateNow)],
        [labels.rate, awaitedRateText(messages, { rate, rateSide })],
      ),
      button(orders.alerts_button, link),
      note(orders.not_ordered),
    )
  },

  rate_returned(messages, { rateNow, link }) {
    const { frame, orders } = messages.mails
    const { labels, returned: returnedWording } = orders
    return message(
      returnedWording,
      frame.for_account,
      words(returnedWording.text),
      facts([labels.rate_now, rateTextInWords(messages.language, rateNow)]),
      button(orders.exchange_button, link),
      note(orders.not_ordered),
    )
  },

  protection_acted(messages, { amount, target, fee, link }) {
    const { frame, orders } = messages.mails
    const { labels, rule_acted: ruleActedWording } = orders
    return message(
      ruleActedWording,
      frame.for_account,
      words(ruleActedWording.text),
      facts(
        [labels.exchanged, shown(messages, amount)],
        [labels.arrived, shown(messages, target)],
        [labels.fee, shown(messages, fee)],
      ),
      button(orders.rules_button, link),
      note(orders.not_ordered),
    )
  },

  protection_waits(messages, { currency, reason, link }) {
    const { frame, orders } = messages.mails
    const { labels, rule_waits: ruleWaitsWording } = orders
    return message(
      ruleWaitsWording,
      frame.for_account,
      words(ruleWaitsWording.text),
      facts([labels.to, currency], [frame.labels.reason, orderReason(messages, reason)]),
      button(orders.rules_button, link),
      note(orders.not_ordered),
    )
  },
}
