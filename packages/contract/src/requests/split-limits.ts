/** Minimum number of people sharing a bill, including the caller unless they opt out. */
export const minPeople = 2
export const maxPeople = 30
/** Maximum number of shares per person. */
export const maxShares = 1000
