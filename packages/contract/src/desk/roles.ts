// What operators may do at the desk: one table, which server and page read alike.

/** What an operator works as; one may have several roles. */
export const deskRoles = ['reviewer', 'payments', 'lead', 'auditor'] as const
export type DeskRole = (typeof deskRoles)[number]

/** What waits for a person, by what it is. Each queue is one module of the server. */
export const deskQueues = [
  'verifications',
  'holds',
  'exceptions',
  'payouts',
  'cases',
  'objections',
  'disputes',
] as const
export type DeskQueue = (typeof deskQueues)[number]

/** Everything that a role may allow. A queue's act covers its list, its entries and decisions about them. */
export const deskActs = [...deskQueues, 'people', 'treasury', 'log', 'operators', 'tie_break'] as const
export type DeskAct = (typeof deskActs)[number]

const permitted: Readonly<Record<DeskRole, readonly DeskAct[]>> = {
  reviewer: ['verifications', 'holds', 'cases', 'objections', 'people'],
  payments: ['exceptions', 'payouts', 'disputes', 'treasury'],
  lead: deskActs,
  auditor: ['log'],
}

/** Everything that somebody with these roles may do. */
export const actsOf = (roles: readonly DeskRole[]): DeskAct[] =>
  deskActs.filter((act) => roles.some((role) => permitted[role].includes(act)))

/** Whether one of these roles allows it. */
export const isPermitted = (roles: readonly DeskRole[], act: DeskAct): boolean =>
  roles.some((role) => permitted[role].includes(act))
