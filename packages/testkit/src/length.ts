/** True in simulation/long, which runs long tests in full; `npm test` runs a part of them. */
export const isFullRun = process.env.TEST_LENGTH === 'whole'
