import { createSeal, type Secret } from '../../platform/seal.ts'

/** Purpose under which keys of rotated secrets are retained, so that pseudonyms do not change. */
export const pseudonymKeyPurpose = 'privacy/operator'

/** Returns the pseudonym of an operator, by name. */
export type OperatorPseudonym = (name: string) => string

/**
 * Pseudonyms of operators: stable per name, and not reversible by guessing names without the secret. `retained`: keys
 * of rotated secrets, oldest first. The oldest key of all is used, so that a new secret changes no pseudonym.
 */
export function createOperatorPseudonyms(secret: Secret, retained: readonly Buffer[] = []): OperatorPseudonym {
  const seal = createSeal(secret, pseudonymKeyPurpose, retained.slice(0, 1))
  return (name) => {
    const hash = seal.fingerprints(name).at(-1) ?? seal.fingerprint(name)
    return `Operator ${hash.toString('hex', 0, 4).toUpperCase()}`
  }
}
