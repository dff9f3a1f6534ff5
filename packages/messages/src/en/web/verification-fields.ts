import { fields } from '../fields.ts'
import { verificationFields as ofLanguage } from '../verification-fields.ts'

/** Field errors in the identity verification form, the same as the server's. */
export const verificationFields = { ...fields, ...ofLanguage }
