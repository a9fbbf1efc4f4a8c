/** An answer that is asked for once, and kept; a failure is not kept, so that it is asked for again. */
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
