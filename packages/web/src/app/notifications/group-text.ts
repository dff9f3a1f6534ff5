import type { NotificationGroup } from '@tern/contract/notifications/notifications'
import { notifications as texts } from '#messages/home/notifications.ts'
import { formatMonth } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { type NotificationText, describeLogins, describeNotification } from './notification-text.ts'

/** Texts for a group of notifications; a group of one reads like its notification. */
export function describeGroup({ latest, count, total, summary }: NotificationGroup): NotificationText {
  const text = describeNotification(latest)
  if (count === 1) return text
  if (summary) {
    const { logins, devices, changes } = summary
    const sentence = texts.summary(formatMonth(latest.created_at))
    const details = texts.summaryFacts(logins, devices, changes)
    return { sentence, name: texts.summaryName, details, icon: 'lock', to: text.to }
  }
  if (latest.code === 'new_sign_in') return { ...text, sentence: describeLogins(latest.params, count) }
  const groupTexts = texts.several[latest.code]
  const sentence = groupTexts ? groupTexts(count, text.name ?? '') : texts.repeated(text.sentence, count)
  const amount = total !== null && 'currency' in latest.params ? formatExact(total, latest.params.currency) : undefined
  // Details of the latest payment do not apply to the others.
  return { ...text, sentence, details: groupTexts ? undefined : text.details, amount }
}
