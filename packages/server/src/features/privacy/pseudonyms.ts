import { createSeal, type Secret } from '../../platform/seal.ts'

/** Under this purpose the keys of secrets that have left the ring are retained, so that everybody keeps their pseudonym. */
export const pseudonymKeyPurpose = 'privacy/operator'

/** How a person reads of the operator with this name. */
export type OperatorPseudonym = (name: string) => string

/**
 * Pseudonyms of operators: always the same for one name, and without the installation's secret nobody finds out by trying names
 * whose it is. `retained` are the keys of secrets that have left the ring, the oldest first. The oldest key of all is used, so
 * that a new secret changes no pseudonym.
 */
export function createOperatorPseudonyms(secret: Secret, retained: readonly Buffer[] = []): OperatorPseudonym {
  const seal = createSeal(secret, pseudonymKeyPurpose, retained.slice(0, 1))
  return (name) => {
    const hash = seal.fingerprints(name).at(-1) ?? seal.fingerprint(name)
    return `Operator ${hash.toString('hex', 0, 4).toUpperCase()}`
  }
}
