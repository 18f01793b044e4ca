#!/bin/sh
# R with the packages that the experiments call: installed where apt and the rights are there,
# otherwise named. Without them the rows of rpart, ctree and PAMM are left out.
packages="r-base-core r-cran-rpart r-cran-partykit r-cran-coin r-cran-survival r-cran-pammtools"
wanted='for (p in c("rpart", "partykit", "coin", "survival", "pammtools")) stopifnot(nzchar(system.file(package = p)))'

if command -v Rscript >/dev/null && Rscript -e "$wanted" >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get -qq update
    apt-get -qq install -y --no-install-recommends $packages && exit 0
fi
echo "R or a package of it is missing; on Debian: apt-get install $packages"
echo "Without it the rows of rpart, ctree and PAMM are left out."
exit 0
