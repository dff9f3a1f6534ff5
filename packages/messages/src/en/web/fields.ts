import { fields as ofLanguage } from '../fields.ts'

/** Field errors in forms, the same as the server's. */
export const fields = ofLanguage
