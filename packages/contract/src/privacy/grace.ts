/** For how many days somebody who has deleted their account can come back: a login in that time undoes it. */
export const graceDays = 14
