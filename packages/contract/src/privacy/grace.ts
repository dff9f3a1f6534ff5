/** Days between an account's deletion request and its deletion; a login within them cancels it. */
export const graceDays = 14
