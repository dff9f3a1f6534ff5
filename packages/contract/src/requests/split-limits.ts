/** Between how many people a bill is split, the caller included unless they leave themselves out. */
export const fewestPeople = 2
export const mostPeople = 30
/** How many shares one person can have. */
export const mostShares = 1000
