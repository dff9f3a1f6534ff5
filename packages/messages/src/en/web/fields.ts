import { fields as ofLanguage } from '../fields.ts'

/** What forms say of wrong fields; the server says the same. */
export const fields = ofLanguage
