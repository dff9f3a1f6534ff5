import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { findWeakness } from '../../platform/runtime/secret.ts'
import { deriveKeyId, type KeyRing } from '../../platform/seal.ts'
import { countRowSeals, countSealed } from '../audit/seal-counts.ts'
import type { Check, DoctorContext } from './check.ts'
import { countText } from './durations.ts'

function checkSecret({ config, environment }: DoctorContext): Promise<readonly SetupFinding[]> {
  const weakness = findWeakness(environment['TERN_SECRET'] ?? '')
  if (weakness === undefined) return Promise.resolve([ok('TERN_SECRET is hard to guess.')])
  const blame = config.mode === 'production' ? fault : warning
  const todo = 'Replace it as docs/operating.md describes, with what `openssl rand -base64 32` prints.'
  return Promise.resolve([blame(`TERN_SECRET is too easy to guess: ${weakness}.`, todo)])
}

async function checkOldSecrets({ config, db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const [current, ...old]: KeyRing = config.secret
  const client = await db.connect()
  try {
    const usages = [...(await countSealed(client)), ...(await countRowSeals(client))]
    const count = (ids: readonly string[]) =>
      usages.reduce((sum, { keyId, values }) => (keyId !== null && ids.includes(keyId) ? sum + values : sum), 0n)
    const [currentId, oldIds] = [toId(current), old.map(toId)]
    const underOld = count(oldIds)
    const strange = usages.filter(({ keyId }) => keyId !== null && keyId !== currentId && !oldIds.includes(keyId))
    if (strange.length > 0) {
      const found = `${strange.reduce((sum, { values }) => sum + values, 0n)} values are sealed under a secret that is not set.`
      return [fault(found, 'Set the secret that sealed them as TERN_OLD_SECRET, then run `npx tern reseal`.')]
    }
    if (underOld > 0n) return [warning(`${underOld} values are under an old secret.`, 'Run `npx tern reseal`.')]
    if (old.length === 0) return [ok('No old secret is set, and no value needs one.')]
    const found = `${countText(old.length, 'old secret')} set, which no value needs.`
    return [warning(found, 'Remove TERN_OLD_SECRET, and restart app and worker.')]
  } finally {
    client.release()
  }
}

const toId = (secret: Buffer): string => deriveKeyId(secret).toString('hex')

export const secretChecks: readonly Check[] = [
  { name: 'secret.strength', tried: 'Estimates how hard TERN_SECRET is to guess.', run: checkSecret },
  { name: 'secret.old', tried: 'Counts stored values by the secret that sealed them.', run: checkOldSecrets },
]
