import { fault, notChecked, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { onlyRow } from '../../platform/database/db.ts'
import type { Check, DoctorContext, Machine } from './check.ts'
import { formatDuration } from './durations.ts'

const tolerableSkewMs = 5000
/** One-time codes of authenticator apps change after this. */
const largeSkewMs = 30_000

const clockTodo =
  'Let a time service (chrony, systemd-timesyncd) set the clocks: logins and signed events fail otherwise.'

function judgeSkew(skewMs: number, subject: string, tried: string): SetupFinding {
  const size = Math.abs(skewMs)
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  if (size <= tolerableSkewMs) return ok(`${subject} and this machine agree within ${tolerableSkewMs / 1000} s.`, tried)
  const found = `${subject} is ${formatDuration(size)} ${direction} this machine.`
  return size > largeSkewMs ? fault(found, clockTodo, tried) : warning(found, clockTodo, tried)
}

/** Compares a clock with ours in the middle of the call. */
async function measureSkew(
  now: Machine['now'],
  readClock: () => Promise<Date | undefined>,
): Promise<number | undefined> {
  const before = now().getTime()
  const there = await readClock()
  const middle = (before + now().getTime()) / 2
  return there && there.getTime() - middle
}

async function checkDatabaseClock({ db, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const skewMs = await measureSkew(machine.now, async () => {
    const { rows } = await db.query<{ at: Date }>('select clock_timestamp() as at')
    return onlyRow(rows).at
  })
  return [judgeSkew(skewMs ?? 0, "The database's clock", "Compares the database's clock with this machine's.")]
}

async function checkProviderClocks({ providers, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const clocks = [...providers.money.all, ...providers.identity.all].flatMap(({ name, setup }) =>
    setup?.readClock ? [{ name, readClock: setup.readClock }] : [],
  )
  if (clocks.length === 0) return [notChecked('No configured provider tells the time.')]
  return Promise.all(
    clocks.map(async ({ name, readClock }) => {
      const tried = `Compares the Date header of ${name} with this machine's clock.`
      const skewMs = await measureSkew(machine.now, readClock)
      if (skewMs === undefined) return notChecked(`${name} told no time.`, 'Run this check again.', tried)
      return judgeSkew(skewMs, `The clock of ${name}`, tried)
    }),
  )
}

export const clockChecks: readonly Check[] = [
  { name: 'clock.database', tried: "Compares the database's clock with this machine's.", run: checkDatabaseClock },
  { name: 'clock.providers', tried: "Compares providers' clocks with this machine's.", run: checkProviderClocks },
]
