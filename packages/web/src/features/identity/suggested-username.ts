import { deriveUsernameStem } from '@tern/contract/protocol/text/username-stem'

/** Suggests a username from the name, otherwise from the email without its +tag. Empty if neither yields one. */
export const suggestUsername = ({ name, email = '' }: { name: string; email?: string | undefined }): string =>
  deriveUsernameStem(name) ?? deriveUsernameStem(email.replace(/[+@].*$/s, '')) ?? ''

/** Variant of a taken username. Its digits are random, so it reveals nothing about other accounts. */
export function varyUsername(username: string): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const digits = String(random % 10_000).padStart(4, '0')
  return `${username.trim().toLowerCase().slice(0, 25)}.${digits}`
}
