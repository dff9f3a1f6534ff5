import { fields } from '../fields.ts'
import { verificationFields as ofLanguage } from '../verification-fields.ts'

/** Field errors in the form of the identity check, identical to the server's. */
export const verificationFields = { ...fields, ...ofLanguage }
