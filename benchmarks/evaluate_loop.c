/* Compiled functions in a loop, for bench_evaluate.py: ours, and those that CasADi writes. */
#include <stdint.h>
#include <time.h>

typedef int32_t (*ours)(double, const double *, const double *, const double *, const double *,
                        const double *, double *);
typedef int (*casadi)(const double **, double **, long long *, double *, int);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

/* Each runs so many calls over so many states in turn; returns nanoseconds a call. */
double run_ours(ours f, const double *q, const double *v, const double *tau, const double *constants,
                double *out, long calls, long states, long n)
{
    const double begin = now();
    for (long i = 0; i < calls; ++i) {
        const long k = (i % states) * n;
        f(0.0, q + k, v + k, 0, tau + k, constants, out + k);
    }
    return (now() - begin) / calls;
}

double run_casadi(casadi f, const double *q, const double *v, const double *tau, double *work,
                  double *out, long calls, long states, long n)
{
    const double begin = now();
    for (long i = 0; i < calls; ++i) {
        const long k = (i % states) * n;
        const double *in[] = {q + k, v + k, tau + k};
        double *to[] = {out + k};
        f(in, to, 0, work, 0);
    }
    return (now() - begin) / calls;
}
