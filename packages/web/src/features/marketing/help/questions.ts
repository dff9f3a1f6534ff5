import type { help } from '#messages/site/help.ts'
import { paths } from '../../../app/paths.ts'

/** Page linked from each answer. */
export const helpLinks: Readonly<Record<keyof typeof help.questions, string>> = {
  call: paths.calls,
  money: paths.transactions,
  undo: paths.scheduled,
  returned: paths.withdraw,
  device: paths.deviceSettings,
  limits: paths.limitSettings,
  fees: paths.prices,
  verification: paths.profile,
  cardMoney: paths.withdraw,
  dispute: paths.disputes,
  close: paths.privacySettings,
}
