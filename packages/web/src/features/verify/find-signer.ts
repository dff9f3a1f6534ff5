import { parseVerifierKey, type VerifierKey } from '@tern/transparency/note-keys'
import { isSignedBy } from '@tern/transparency/signed-note'
import { parseReceiptText, verifyReceiptProof } from '@tern/transparency/verify-receipt'
import type { ReplacedKey } from '../../app/key-history.ts'

/**
 * Signer of a proof whose signature is not that of the trusted key: nobody known (`forged`), an earlier key of the log
 * that this browser has replaced, or another key in the log's name.
 */
export type Signer = { readonly state: 'forged' | 'other' } | { readonly state: 'replaced'; readonly until: string }

interface SignerInput {
  /** Complete proof, as text. */
  readonly proof: string
  /** Trusted keys of logs. */
  readonly logs: readonly VerifierKey[]
  readonly replaced: readonly ReplacedKey[]
}

/** Finds the signer of a proof that failed with `log_signature`. */
export function findSigner({ proof, logs, replaced }: SignerInput): Signer {
  const parsed = parseReceiptText(proof)
  const { origin, signatures } = parsed.checkpoint
  const ofLog = signatures.filter(({ name }) => name === origin)
  const hasSignatureOf = (key: VerifierKey) => ofLog.some((signature) => isSignedBy(signature, key))
  if (ofLog.length === 0 || logs.some(hasSignatureOf)) return { state: 'forged' }
  const earlier = replaced.find(({ log }) => hasSignatureOf(parseVerifierKey(log)))
  if (!earlier) return { state: 'other' }
  const policy = { logs: [parseVerifierKey(earlier.log)], witnesses: [], quorum: 0 }
  const isGenuine = verifyReceiptProof(parsed, policy).state === 'valid'
  return isGenuine ? { state: 'replaced', until: earlier.until } : { state: 'forged' }
}
