import { fields } from '../fields.ts'
import { verificationFields as ofLanguage } from '../verification-fields.ts'

/** What the form of the identity check says of wrong fields; the server says the same. */
export const verificationFields = { ...fields, ...ofLanguage }
