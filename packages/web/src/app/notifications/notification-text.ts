import type { Notification } from '@tern/contract/notifications/notifications'
import type { CurrencyCode } from '@tern/money/currency'
import { notifications as texts } from '#messages/home/notifications.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { formatDate, formatDateTime } from '../../ui/format/format.ts'
import type { IconName } from '../../ui/icon/icons.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatRateLine } from '../../ui/money/rates.ts'
import { paths } from '../paths.ts'

/** Text of a notification: a sentence, the person's name within it, and details. */
export interface NotificationText {
  readonly sentence: string
  readonly name?: string | undefined
  readonly details?: string | undefined
  /** Amount received. */
  readonly amount?: string | undefined
  readonly icon: IconName
  /** Device drawing that replaces the icon. */
  readonly device?: 'computer' | 'phone' | undefined
  /** Path to more details. */
  readonly to: string
}

type NotificationWith<Code extends Notification['code']> = Extract<Notification, { code: Code }>

interface Amount {
  readonly amount: string
  readonly currency: CurrencyCode
}

const formatAmount = ({ amount, currency }: Amount): string => formatExact(amount, currency)
const atNoon = (date: string): string => formatDate(`${date}T12:00:00`)

interface Origin {
  readonly browser?: string | undefined
  readonly system?: string | undefined
  readonly country?: string | undefined
}

/** Device and country as text; an unknown country is left out, since users do not recognize IP addresses. */
function describeOrigin({ browser, system, country }: Origin): string {
  const device = browser && system ? texts.device(browser, system) : (browser ?? system)
  return [device, country && countryName(country)].filter(Boolean).join(', ')
}

const phones = new Set(['Android', 'iPhone'])
const isPhone = ({ system = '' }: Origin): boolean => phones.has(system)

/** Sentence for `count` logins from one device that says whether the device or the place was new. */
export function describeLogins(params: NotificationWith<'new_sign_in'>['params'], count: number): string {
  const { unfamiliar } = params
  if (unfamiliar === 'place') return texts.new_sign_in.place(count)
  if (unfamiliar === undefined) return texts.new_sign_in.unknown(count)
  return isPhone(params) ? texts.new_sign_in.phone(count) : texts.new_sign_in.computer(count)
}

export function describeNotification(notification: Notification): NotificationText {
  const transactionPath = `${paths.transactions}?details=${notification.subject_id}`
  switch (notification.code) {
    case 'money_received':
    case 'new_payee_paid': {
      const { person, description } = notification.params
      const isReceipt = notification.code === 'money_received'
      return {
        sentence: texts[notification.code](person.name),
        name: person.name,
        details: isReceipt ? description : [description, formatAmount(notification.params)].filter(Boolean).join(' · '),
        amount: isReceipt ? formatAmount(notification.params) : undefined,
        icon: isReceipt ? 'receive' : 'send',
        to: transactionPath,
      }
    }
    case 'deposit_arrived':
    case 'withdrawal_arrived':
    case 'withdrawal_failed':
    case 'withdrawal_returned':
    case 'transfer_released':
    case 'transfer_not_made':
    case 'deposit_repriced':
      return { ...describeMoney(notification), to: transactionPath }
    case 'request_received':
    case 'request_reminder':
    case 'request_paid':
    case 'request_part_paid':
    case 'request_declined':
    case 'request_expired':
    case 'request_link_wanted':
      return { ...describeRequest(notification), to: paths.receive }
    case 'schedule_sent':
    case 'schedule_skipped':
    case 'schedule_short':
      return describeSchedule(notification)
    case 'order_filled':
    case 'order_expired':
    case 'order_waits':
    case 'rate_alert':
    case 'rate_returned':
    case 'protection_acted':
    case 'protection_waits':
      return describeOrder(notification)
    case 'street_hold': {
      const until = texts.expires(formatDateTime(notification.params.until))
      return {
        sentence: texts.street_hold(formatAmount(notification.params)),
        details: until,
        icon: 'lock',
        to: transactionPath,
      }
    }
    case 'operator_called': {
      const { caller, started_at: startedAt } = notification.params
      return {
        sentence: texts.operator_called(caller),
        name: caller,
        details: formatDateTime(startedAt),
        icon: 'info',
        to: paths.calls,
      }
    }
    case 'new_sign_in':
    case 'security_change':
      return describeSecurity(notification)
    case 'check_holds':
    case 'check_asks':
    case 'check_decided':
    case 'objection_decided':
      return { sentence: describeCheck(notification), icon: 'pause', to: findCheckPath(notification) }
    case 'dispute_changed':
      return describeDispute(notification)
    case 'correction_decided':
      return {
        sentence: texts.correction_decided[notification.params.state],
        icon: 'person',
        to: paths.privacySettings,
      }
    case 'verification_result':
      return { sentence: texts.verification_result[notification.params.status], icon: 'person', to: paths.register }
  }
}

/** Settings tab that shows a change; changes not listed are shown on the first tab. */
const pathsByChange: Readonly<Record<string, string>> = {
  data_exported: paths.privacySettings,
  external_linked: paths.connectionSettings,
  external_unlinked: paths.connectionSettings,
  oldest_session_ended: paths.deviceSettings,
}

function describeSecurity(notification: NotificationWith<'new_sign_in' | 'security_change'>): NotificationText {
  const details = describeOrigin(notification.params)
  if (notification.code === 'new_sign_in') {
    const sentence = describeLogins(notification.params, 1)
    const device = isPhone(notification.params) ? 'phone' : 'computer'
    return { sentence, details, icon: 'warning', device, to: paths.deviceSettings }
  }
  const { change } = notification.params
  const sentence = texts.changes[change] ?? texts.security_change
  return { sentence, details, icon: 'lock', to: pathsByChange[change] ?? paths.settings }
}

function describeDispute({ subject_id: id, params }: NotificationWith<'dispute_changed'>): NotificationText {
  const sentence = texts.dispute_changed[params.step](formatAmount(params))
  const details = params.date === undefined ? undefined : texts.disputeBy(atNoon(params.date))
  return { sentence, details, icon: 'info', to: `${paths.disputes}/${id}` }
}

type CheckNotification = NotificationWith<'check_holds' | 'check_asks' | 'check_decided' | 'objection_decided'>

/** Path to the held payment, to the check, or to all checks. */
function findCheckPath({ code, subject_id: id, params }: CheckNotification): string {
  if ('by_guest' in params) return paths.checks
  if (code === 'check_holds') return `${paths.transactions}?details=${id}`
  return code === 'objection_decided' ? paths.checks : `${paths.checks}/${id}`
}

const describeHold = ({ by_guest: isByGuest, waits_for: holdCause }: NotificationWith<'check_holds'>['params']) => {
  if (holdCause) return isByGuest ? 'guest_list_holds' : 'list_holds'
  return isByGuest ? 'guest_check_holds' : 'check_holds'
}

function describeCheck(notification: CheckNotification): string {
  switch (notification.code) {
    case 'check_holds':
      return texts[describeHold(notification.params)](formatAmount(notification.params))
    case 'check_asks':
      return texts.check_asks[notification.params.need]
    case 'check_decided':
      return texts.check_decided[notification.params.state]
    case 'objection_decided':
      return texts.objection_decided[notification.params.state]
  }
}

function describeMoney(
  notification: NotificationWith<
    | 'deposit_arrived'
    | 'deposit_repriced'
    | 'withdrawal_arrived'
    | 'withdrawal_failed'
    | 'withdrawal_returned'
    | 'transfer_released'
    | 'transfer_not_made'
  >,
): Omit<NotificationText, 'to'> {
  const amount = formatAmount(notification.params)
  switch (notification.code) {
    case 'deposit_arrived':
    case 'deposit_repriced': {
      const details = texts.deposit_by[notification.params.method]
      return { sentence: texts[notification.code], details, amount, icon: 'deposit' }
    }
    case 'transfer_not_made': {
      const { person, reason } = notification.params
      const sentence = texts.transfer_not_made(person.name, amount)
      return { sentence, name: person.name, details: texts.newPrice[reason], icon: 'send' }
    }
    case 'withdrawal_arrived':
    case 'withdrawal_failed': {
      const { bank_name: bank, last4 } = notification.params
      const details = notification.code === 'withdrawal_failed' ? texts.moneyBack : undefined
      return { sentence: texts[notification.code](amount, bank, last4), details, icon: 'bank' }
    }
    case 'withdrawal_returned': {
      const sentence = texts.withdrawal_returned(amount, notification.params.bank_name)
      return { sentence, details: texts.moneyBack, icon: 'bank' }
    }
    case 'transfer_released': {
      const { person, description } = notification.params
      const details = person ? texts.notMade(person.name) : description
      return { sentence: texts.transfer_released(amount), details, icon: 'undo' }
    }
  }
}

function describeRequest(
  notification: NotificationWith<
    | 'request_received'
    | 'request_reminder'
    | 'request_paid'
    | 'request_part_paid'
    | 'request_declined'
    | 'request_expired'
    | 'request_link_wanted'
  >,
): Omit<NotificationText, 'to'> {
  const { description } = notification.params
  const amount = formatAmount(notification.params)
  if (notification.code === 'request_expired') {
    return { sentence: texts.request_expired(amount), details: description, icon: 'clock' }
  }
  const { name } = notification.params.person
  const sharedText = { name, details: description }
  switch (notification.code) {
    case 'request_paid':
    case 'request_part_paid':
      return { ...sharedText, sentence: texts[notification.code](name), amount, icon: 'receive' }
    case 'request_declined': {
      const { reason } = notification.params
      const details = reason ? texts.because(reason) : description
      return { name, details, sentence: texts.request_declined(name, amount), icon: 'cross' }
    }
    case 'request_received':
    case 'request_reminder':
    case 'request_link_wanted':
      return { ...sharedText, sentence: texts[notification.code](name, amount), icon: 'receive' }
  }
}

function describeSchedule(
  notification: NotificationWith<'schedule_sent' | 'schedule_skipped' | 'schedule_short'>,
): NotificationText {
  const { person, date } = notification.params
  const amount = formatAmount(notification.params)
  const sharedText = { details: `${texts.scheduled}, ${atNoon(date)}`, icon: 'clock', to: paths.scheduled } as const
  if (notification.code === 'schedule_short')
    return { ...sharedText, sentence: texts.schedule_short(amount, atNoon(date)) }
  const name = person?.name ?? ''
  return { ...sharedText, name, sentence: texts[notification.code](name, amount) }
}

const formatRateFor = formatRateLine

/** Path for an order's notification: the order, all orders for a rate alert that has ended, or the protection page. */
function findOrderPath({ code, subject_id: id }: Notification): string {
  if (code === 'protection_acted' || code === 'protection_waits') return paths.protection
  return code === 'rate_alert' ? paths.orders : `${paths.orders}?order=${id}`
}

function describeOrder(
  notification: NotificationWith<
    | 'order_filled'
    | 'order_expired'
    | 'order_waits'
    | 'rate_alert'
    | 'rate_returned'
    | 'protection_acted'
    | 'protection_waits'
  >,
): NotificationText {
  const to = findOrderPath(notification)
  switch (notification.code) {
    case 'order_filled': {
      const {
        kind,
        rate,
        rate_currency: rateCurrency,
        currency,
        target_currency: target,
        target_amount,
      } = notification.params
      const receivedText = formatExact(target_amount, target)
      const details = `${texts.order[kind]}, ${formatRateFor(rate, rateCurrency, rateCurrency === target ? currency : target)}`
      return {
        sentence: texts.order_filled(formatAmount(notification.params), receivedText),
        details,
        icon: 'swap',
        to,
      }
    }
    case 'order_expired':
    case 'order_waits': {
      const {
        kind,
        rate,
        rate_currency: rateCurrency,
        rate_side: side,
        currency,
        target_currency: target,
      } = notification.params
      const waitedRate = texts.rateSide[side](
        formatRateFor(rate, rateCurrency, rateCurrency === target ? currency : target),
      )
      const reason = notification.code === 'order_waits' ? texts.waits[notification.params.reason] : undefined
      const sentence = texts[notification.code](formatAmount(notification.params))
      return { sentence, details: reason ?? `${texts.order[kind]}, ${waitedRate}`, icon: 'clock', to }
    }
    case 'rate_alert': {
      const {
        source_currency: source,
        target_currency: target,
        rate,
        rate_now: now,
        rate_side: side,
      } = notification.params
      const details = texts.rateSide[side](formatRateFor(rate, source, target))
      return { sentence: texts.rate_alert(formatRateFor(now, source, target)), details, icon: 'info', to }
    }
    case 'rate_returned': {
      const { source_currency: source, target_currency: target, rate_now: now } = notification.params
      const details = formatRateFor(now, source, target)
      const place = `${paths.exchange}?from=${source}&to=${target}`
      return { sentence: texts.rate_returned(source, target), details, icon: 'info', to: place }
    }
    case 'protection_acted': {
      const { kind, target_amount, target_currency: target } = notification.params
      const receivedText = formatExact(target_amount, target)
      const sentence = texts.protection_acted(formatAmount(notification.params), receivedText)
      return { sentence, details: texts.protection[kind], icon: 'swap', to }
    }
    case 'protection_waits': {
      const { kind, currency, reason } = notification.params
      const details = texts.waits[reason] ?? texts.protection[kind]
      return { sentence: texts.protection_waits(currency), details, icon: 'warning', to }
    }
  }
}
