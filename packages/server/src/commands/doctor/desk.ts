import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import type { Check, DoctorContext } from './check.ts'
import { countText } from './durations.ts'
import { describeVisitError, visit } from './visit.ts'

async function checkPage({ config }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { admin, deskUrl } = config.operations
  if (admin === undefined) {
    const todo = 'Set ADMIN_PORT for the app, and DESK_URL: cases and held payments are decided there.'
    return [warning('ADMIN_PORT is not set here: without it the app serves no desk.', todo)]
  }
  try {
    const { status } = await visit(`${deskUrl}/desk`)
    if (status === 200) return [ok(`${deskUrl}/desk answers.`)]
    const todo = 'Correct DESK_URL, or the proxy in front of ADMIN_PORT.'
    return [fault(`${deskUrl}/desk answers ${status}.`, todo)]
  } catch (error) {
    const found = `${deskUrl}/desk does not answer from here (${describeVisitError(error)}).`
    return [warning(found, 'Start the app with ADMIN_PORT, or run this where operators work.')]
  }
}

interface Operator {
  readonly name: string
  readonly roles: readonly string[]
  readonly hasKey: boolean
}

async function checkOperators({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<Operator>(
    `select name, roles, exists (select from desk_passkey where operator_id = o.id) as "hasKey"
       from desk_operator o where disabled_at is null order by name`,
  )
  const able = rows.filter(({ hasKey }) => hasKey)
  const keyless = rows.length - able.length
  const found = `${countText(able.length, 'operator')} with a passkey${keyless > 0 ? `, ${keyless} without` : ''}.`
  if (able.length === 0) {
    return [fault(found, 'Run `npx tern desk add NAME --role ROLE …`, and open the link with their passkey.')]
  }
  if (able.length === 1) return [warning(found, 'Add a second operator: cases need two people.')]
  if (able.some(({ roles }) => roles.includes('lead'))) return [ok(found)]
  return [warning(`${found} None is a lead.`, 'Give one the role `lead`, which decides what is overdue.')]
}

export const deskChecks: readonly Check[] = [
  { name: 'desk.page', tried: "Requests the operators' desk at DESK_URL.", run: checkPage },
  { name: 'desk.operators', tried: 'Counts operators who can log in to the desk.', run: checkOperators },
]
