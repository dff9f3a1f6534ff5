import type { NotificationGroup } from '@tern/contract/notifications/notifications'
import { notifications as texts } from '#messages/home/notifications.ts'
import { formatMonth } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { type NotificationText, sentenceOfLogins, describeNotification } from './notification-text.ts'

/** Texts for a group of notifications; a group of one reads like its notification. */
export function textOfGroup({ latest, count, total, summary }: NotificationGroup): NotificationText {
  const one = describeNotification(latest)
  if (count === 1) return one
  if (summary) {
    const { logins, devices, changes } = summary
    const sentence = texts.summary(formatMonth(latest.created_at))
    const details = texts.summaryFacts(logins, devices, changes)
    return { sentence, name: texts.summaryName, details, icon: 'lock', to: one.to }
  }
  if (latest.code === 'new_sign_in') return { ...one, sentence: sentenceOfLogins(latest.params, count) }
  const several = texts.several[latest.code]
  const sentence = several ? several(count, one.name ?? '') : texts.repeated(one.sentence, count)
  const amount = total !== null && 'currency' in latest.params ? formatExact(total, latest.params.currency) : undefined
  // Details of the latest payment do not apply to the others.
  return { ...one, sentence, details: several ? undefined : one.details, amount }
}
