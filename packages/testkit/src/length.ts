/** Long tests run in part in `npm test`, and in full in simulation/long. */
export const isFullRun = process.env.TEST_LENGTH === 'whole'
