import { fields as ofLanguage } from '../fields.ts'

/** Field errors in forms, identical to the server's. */
export const fields = ofLanguage
