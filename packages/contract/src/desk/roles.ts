// Permissions of operators at the desk, shared by server and page.

/** Operator roles; an operator may have several. */
export const deskRoles = ['reviewer', 'payments', 'lead', 'auditor'] as const
export type DeskRole = (typeof deskRoles)[number]

/** Work queues of operators. */
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

/** All permissions. A queue's permission covers its list, its items and their decisions. */
export const deskActs = [...deskQueues, 'people', 'calls', 'treasury', 'log', 'operators', 'tie_break'] as const
export type DeskAct = (typeof deskActs)[number]

const permittedActs: Readonly<Record<DeskRole, readonly DeskAct[]>> = {
  reviewer: ['verifications', 'holds', 'cases', 'objections', 'people', 'calls'],
  payments: ['exceptions', 'payouts', 'disputes', 'treasury'],
  lead: deskActs,
  auditor: ['log'],
}

export const listPermittedActs = (roles: readonly DeskRole[]): DeskAct[] =>
  deskActs.filter((act) => roles.some((role) => permittedActs[role].includes(act)))

export const isPermitted = (roles: readonly DeskRole[], act: DeskAct): boolean =>
  roles.some((role) => permittedActs[role].includes(act))
