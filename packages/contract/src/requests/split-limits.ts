/** Number of people sharing a bill, including the caller unless they opt out. */
export const fewestPeople = 2
export const mostPeople = 30
/** Maximum number of shares per person. */
export const mostShares = 1000
