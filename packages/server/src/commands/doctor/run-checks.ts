import { setTimeout as delay } from 'node:timers/promises'
import { readSqlState } from '@tern/ledger/ledger'
import { withCallDeadline } from '@tern/providers/deadline'
import { notChecked, type SetupFinding } from '@tern/providers/setup'
import { describeError, isDatabaseUnavailable } from '../../platform/database/database-errors.ts'
import type { Check, DoctorContext, Finding } from './check.ts'

/** Longest time for a check; all run side by side, so the whole command ends soon after. */
export const checkTimeoutMs = 25_000

/** Runs the checks side by side, and returns their findings in the order of the checks. */
export async function runChecks(
  ctx: DoctorContext,
  checks: readonly Check[],
  timeoutMs: number = checkTimeoutMs,
): Promise<Finding[]> {
  const findings = await Promise.all(checks.map((check) => runCheck(ctx, check, timeoutMs)))
  return findings.flat()
}

async function runCheck(ctx: DoctorContext, { name, tried, run }: Check, timeoutMs: number): Promise<Finding[]> {
  const timer = new AbortController()
  const timeout = delay(timeoutMs, undefined, { signal: timer.signal }).then(
    () => [notChecked(`No answer within ${timeoutMs / 1000} s.`, 'Run this check again.')],
    () => [],
  )
  const work = withCallDeadline(performance.now() + timeoutMs, () => run(ctx)).catch(describeFailure)
  const findings = await Promise.race([work, timeout])
  timer.abort()
  // A check without a finding would look as if all were well.
  const complete = findings.length > 0 ? findings : [notChecked('The check found nothing to look at.')]
  return complete.map((finding) => toLine(finding, { check: name, tried }))
}

const toLine = (finding: SetupFinding, { check, tried }: Pick<Finding, 'check' | 'tried'>): Finding => ({
  check,
  ...finding,
  tried: finding.tried ?? tried,
})

const statementTimeout = '57014'

const isStatementTimeout = (error: unknown): boolean =>
  readSqlState(error) === statementTimeout || (error instanceof Error && error.message === 'Query read timeout')

const describeFailure = (error: unknown): readonly SetupFinding[] => [
  isStatementTimeout(error)
    ? notChecked('The database took too long over a statement.', 'Run this check again when it has less to do.')
    : isDatabaseUnavailable(error)
      ? notChecked(`The database does not answer (${describeError(error)}).`, 'See database.version.')
      : notChecked(`The check failed: ${describeError(error)}.`, 'See database.version and the log of the app.'),
]
