import { type PublicUser, searchUsers, userProfile } from '@tern/contract/identity'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { canonicalEmail } from '@tern/contract/protocol/text/email'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { recipient as texts } from '#messages/transfers/recipient.ts'
import { callApi } from '../session/session.ts'
import { minCharacters } from './use-recipient-list.ts'

const isSame = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()

/**
 * Finds the registered user for a typed number, username or whole email. Returns undefined if no username or email
 * matches; throws the error of a failed call, which is `not_found` for an unknown number. The person's own username and
 * email need no call, so they are recognized even if the email is unconfirmed or the person may not look up others.
 */
export async function findRecipient(typed: string, own: PublicUser): Promise<PublicUser | undefined> {
  const text = canonicalEmail(typed) ?? visibleText(typed)
  if (isSame(own.username, text) || isSame(own.email, text)) return own
  if (/^[1-9]\d*$/.test(text)) return callApi(userProfile, { params: { id: text } })
  if (text.length < minCharacters) return undefined
  const found = await callApi(searchUsers, { query: { query: text, exact: 'true' } })
  return found.find((user) => isSame(user.username, text) || isSame(user.email, text)) ?? found[0]
}

/** `refusal`: reason for a failed search. Without `found` and `refusal`, no user has this name, email or number. */
export interface RecipientAnswer {
  readonly found?: PublicUser | undefined
  readonly refusal?: string | undefined
}

/** Like `findRecipient`, with a sentence instead of an error; errors other than refusals are also reported. */
export async function fetchRecipient(text: string, own: PublicUser): Promise<RecipientAnswer> {
  try {
    return { found: await findRecipient(text, own) }
  } catch (error) {
    if (error instanceof Refused) return error.code === 'not_found' ? {} : { refusal: error.message }
    reportError(error)
    return { refusal: error instanceof Unreachable ? error.message : texts.searchFailed }
  }
}
