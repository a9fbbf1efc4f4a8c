/** A result that is computed once and kept. A failure is not kept, so the next call tries again. */
export class Remembered<T> {
  private answer: Promise<T> | undefined;

  get(ask: () => Promise<T>): Promise<T> {
    if (this.answer === undefined) {
      const asked = ask();
      this.answer = asked;
      asked.catch(() => {
        this.answer = undefined;
      });
    }
    return this.answer;
  }
}
