/** What is long by nature runs in part in `npm test`, and whole in the long tests (simulation/long). */
export const isWhole = process.env.TEST_LENGTH === 'whole'
